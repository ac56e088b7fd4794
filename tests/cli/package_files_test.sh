#!/usr/bin/env bash
# What the package ships beside the program says the same as the program: completion, manual page,
# systemd unit.
source "$(dirname "${BASH_SOURCE[0]}")/support.sh"
start_empty
package=$LETHE_SOURCE_DIR/package
lethe=$LETHE
source "$package/lethe.bash-completion"

# completed WORD...: what is offered for the last word.
completed() {
  COMP_WORDS=("$lethe" "$@")
  COMP_CWORD=$#
  _lethe 2>/dev/null
  printf '%s\n' "${COMPREPLY[@]}" | sort
}
# Long options at the beginning of a line of --help, and short names beside them.
options_of() { "$lethe" "$@" --help | grep -oE '^  (-[a-z],)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' | sort; }
same() {
  if [[ $2 == "$3" && -n $2 ]]; then
    passed=$((passed + 1))
  else
    echo "FAIL: $1"
    diff <(echo "$2") <(echo "$3") | head -10
    failures=$((failures + 1))
  fi
}

commands=$(completed '')
same 'the commands are those of the manual page' "$commands" \
  "$(sed -n '/^.SH COMMANDS/,/^.SH EXIT/{s/\\-/-/g;s/^\.B //p}' "$package/lethe.1" | sort)"
same 'a beginning is completed' "$(completed rec)" $'receipts\nrecord'
same 'of receipts' "$(completed receipts '')" $'export\nkey\nlist\nrotate-key\nshow\nverify'
for command in $commands; do
  same "options of $command" "$(completed "$command" --)" "$(options_of "$command")"
  for word in $("$lethe" "$command" --help | sed -n '/^Subcommands:/,$s/^  \([a-z][a-z-]*\) .*/\1/p'); do
    same "options of $command $word" "$(completed "$command" "$word" --)" "$(options_of "$command" "$word")"
  done
done
same 'options after a file' "$(completed replay events.ndjson --o)" '--out'
touch events.ndjson
same 'files where no command fits' "$(completed replay ev)" 'events.ndjson'

for code in 0 1 64 65 69 70 74 78 130; do
  expect 0 '' grep -qx ".B $code" "$package/lethe.1"
done
if command -v man >/dev/null; then
  expect 0 '' bash -c "test -z \"\$(man --warnings -E UTF-8 -l -Tutf8 -Z '$package/lethe.1' 2>&1 >/dev/null)\""
fi
# The configuration that the unit starts with is one that can be checked.
expect 0 'certified   yes' "$LETHE" check "$LETHE_SOURCE_DIR/configs/production.yaml"
expect 0 '' grep -q '^  path: /var/lib/lethe ' "$LETHE_SOURCE_DIR/configs/production.yaml"
if command -v systemd-analyze >/dev/null; then
  mkdir -p root/usr/bin root/lib/systemd/system root/etc
  printf 'lethe:x:999:999::/:/bin/false\n' >root/etc/passwd
  cp "$package/lethe.service" root/lib/systemd/system/
  expect 0 'Overall exposure level for lethe.service: 1.' \
    systemd-analyze security --no-pager --offline=true --root="$PWD/root" --threshold=20 lethe.service
fi
finish
