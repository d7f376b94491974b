/**
 * What the guardian runs, in the least shell there is. It knows groups as `<group>:<start time of its leader>` and reads
 * one order a line: `+<group>:<time>` guards, `-<group>:<time>` forgets, `?<entry>` says that a process with this entry in
 * its environment is about to be started, and the next `+` or a bare `?` that this is over. Groups that run already are
 * its arguments, so that it knows them from its first moment on.
 *
 * At the end of its input, which only the host's death or its good-bye brings, it kills what is left. A group whose
 * number leads to a process that started at another time belongs to a stranger. Of a process that was being started
 * at that moment nobody knows the number; it is found by its environment, where there is `/proc`, and it is looked for
 * some times over since it has that environment only once its program runs.
 *
 * Half a line, which only a host that died while it wrote can leave, is not obeyed.
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
