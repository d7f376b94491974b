/**
 * Shell script of the guardian. Groups are written as `<group>:<start time of the leader>`. Each input line is one
 * order: `+<group>:<time>` guards, `-<group>:<time>` forgets, `?<entry>` announces a process with this environment
 * entry until the next `+` or a bare `?`.
 *
 * When the input ends, the owner has died or left, and the script kills all remaining groups. A leader with another
 * start time is a foreign process. An announced process has no known pid: its entry is searched in `/proc`, several
 * times, since it appears only once the program runs.
 */
export const guardianScript = `
trap '' HUP INT TERM
groups=" $* "
expected=
while IFS= read -r line; do
  case $line in
    +*) groups="$groups\${line#+} "; expected= ;;
    -*) case $groups in *" \${line#-} "*) groups="\${groups%%" \${line#-} "*} \${groups#*" \${line#-} "}" ;; esac ;;
    '?'*) expected=\${line#'?'} ;;
  esac
done
for entry in $groups; do
  group=\${entry%:*} time=\${entry#*:}
  if [ "$time" != 0 ] && IFS= read -r stat < "/proc/$group/stat"; then
    set -- \${stat##*) }
    [ "\${20}" = "$time" ] || continue
  fi
  kill -s KILL -- "-$group"
done 2>/dev/null
[ -n "$expected" ] || exit 0
for round in 1 2 3 4 5 6 7 8 9 10; do
  for file in $(grep -alF -e "$expected" /proc/[0-9]*/environ); do
    pid=\${file#/proc/} pid=\${pid%/environ}
    [ "$pid" = $$ ] || kill -s KILL -- "-$pid" || kill -s KILL "$pid"
  done
  sleep 0.1
done 2>/dev/null
`;
