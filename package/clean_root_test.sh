#!/usr/bin/env bash
# clean_root_test.sh PACKAGE.deb: lintian has no errors, and the package installs and works in a
# Debian that has nothing else. Needs root, debootstrap, lintian and a Debian mirror
# (DEBIAN_MIRROR, http://deb.debian.org/debian).
set -euo pipefail
deb=$(readlink -f "$1")
root=$(mktemp -d)
chmod 755 "$root" # the users inside have to get through
# shellcheck disable=SC2317
clean() {
  for folder in proc dev; do umount -l "$root/$folder" 2>/dev/null || true; done
  rm -rf --one-file-system "$root"
}
trap clean EXIT

say() { printf 'package: %s\n' "$*" >&2; }

say "lintian"
lintian --fail-on error --allow-root "$deb"

say "a clean Debian 12 in $root"
debootstrap --variant=minbase bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >/dev/null
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
cp "$deb" "$root/tmp/lethe.deb"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@"; }

say "installing"
inside apt-get -qq update
inside apt-get -qq install -y --no-install-recommends /tmp/lethe.deb >/dev/null

say "running"
inside lethe --version
inside lethe check /etc/lethe/lethe.yaml
inside getent passwd lethe >/dev/null
# As the service's own user, who may write to nothing but a temporary folder.
inside setpriv --reuid=lethe --regid=lethe --clear-groups lethe demo --seconds 5 --port 0
inside test -x /usr/share/doc/lethe/examples/verify.py
inside test -s /usr/share/bash-completion/completions/lethe
systemd-analyze security --no-pager --offline=true --root="$root" lethe.service | tail -1

say "removing"
inside apt-get -qq purge -y lethe >/dev/null
inside test ! -e /usr/bin/lethe
say "ok"
