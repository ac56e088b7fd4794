// Questions to the daemon, with the token if there is one.

export async function ask(path, options = {}) {
  const headers = {...options.headers};
  const token = sessionStorage.getItem('token');
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch(path, {...options, headers, cache: 'no-store'});
  if (reply.status === 401) throw Object.assign(new Error('token'), {needsToken: true});
  return reply;
}

export const askJson = async (path) => (await ask(path)).json();
