/**
 * Shell script of the guardian. It knows groups as `<group>:<start time of the leader>` and reads one order per line:
 * `+<group>:<time>` guards, `-<group>:<time>` forgets, `?<entry>` announces the start of a process with this
 * environment entry until the next `+` or a bare `?`. Groups that run already are arguments, so that the script knows
 * them at once.
 *
 * The end of input means that the owner has died or left; then the script kills all remaining groups. A leader with
 * another start time is a foreign process. A process that was just starting has no known pid: it is found by its
 * environment in `/proc`, with several attempts, because the entry appears only once the program runs.
 *
 * An incomplete line, left by an owner that died while writing, is ignored.
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
