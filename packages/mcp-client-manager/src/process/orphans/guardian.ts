import { type ChildProcess, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { requireDescriptors, spawnDescriptors } from '../descriptors.js';
import { isExhaustion } from '../spawn-error.js';

/** Shortest run of a guardian that works: one that ends sooner cannot run here. */
const shortRunMs = 1_000;
const maxShortRuns = 3;

const guardianVariable = 'MCP_CLIENT_MANAGER_GUARDIAN';

/**
 * Helper process that kills the server processes if their owner is killed. It reads from a pipe that ends with the
 * owner, and runs in a session of its own, out of reach of terminal interrupts. One guardian serves all managers.
 */
export class Guardian {
  readonly #guarded = new Set<string>();
  readonly #users = new Set<object>();
  readonly #onProblem: (message: string) => void;
  #child: ChildProcess | undefined;
  #shortRuns = 0;
  #hasGivenUp = false;

  constructor(onProblem: (message: string) => void = (message) => process.emitWarning(message)) {
    this.#onProblem = onProblem;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  expect(user: object, entry: string): void {
    this.#users.add(user);
    if (this.#canGuard()) this.#send(`?${entry}`);
  }

  expectNothing(): void {
    this.#send('?');
  }

  guard(group: GuardedGroup): void {
    this.#guarded.add(nameOf(group));
    this.#send(`+${nameOf(group)}`);
  }

  forget(group: GuardedGroup): void {
    if (!this.#guarded.delete(nameOf(group))) return;
    this.#send(`-${nameOf(group)}`);
    this.#endIfUnused();
  }

  release(user: object): void {
    this.#users.delete(user);
    this.#endIfUnused();
  }

  #endIfUnused(): void {
    if (this.#users.size > 0 || this.#guarded.size > 0) return;
    const child = this.#child;
    this.#child = undefined;
    child?.stdin?.end();
  }

  #canGuard(): boolean {
    if (this.#child) return true;
    if (process.platform === 'win32' || this.#hasGivenUp) return false;
    const child = startGuardian([...this.#guarded]);
    if (child?.pid === undefined) {
      child?.once('error', (error) => this.#refused(error));
      return false;
    }
    const startedAt = performance.now();
    this.#child = child;
    child.once('exit', () => this.#ended(child, startedAt));
    return true;
  }

  #refused(error: Error): void {
    if (!isExhaustion(error)) this.#giveUp();
  }

  #ended(child: ChildProcess, startedAt: number): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#shortRuns = performance.now() - startedAt < shortRunMs ? this.#shortRuns + 1 : 0;
    if (this.#shortRuns >= maxShortRuns) this.#giveUp();
    else this.#canGuard();
  }

  #giveUp(): void {
    if (this.#hasGivenUp) return;
    this.#hasGivenUp = true;
    this.#onProblem(
      'The helper that ends MCP servers when this process is killed cannot run here (it needs /bin/sh). Servers that do not exit when their stdin ends may then survive.',
    );
  }

  #send(order: string): void {
    this.#child?.stdin?.write(`${order}\n`);
  }
}

export const processGuardian = new Guardian();

export interface GuardedGroup {
  readonly group: number;
  readonly startTime: number | undefined;
}

function nameOf({ group, startTime = 0 }: GuardedGroup): string {
  return `${group}:${startTime}`;
}

function startGuardian(groups: readonly string[]): ChildProcess | undefined {
  let child: ChildProcess;
  try {
    requireDescriptors(spawnDescriptors);
    child = spawn('/bin/sh', ['-c', guardianScript, 'mcp-guardian', ...groups], {
      cwd: '/',
      // No owner marker: the guardian must outlive marked processes.
      env: { PATH: '/usr/bin:/bin', [guardianVariable]: String(process.pid) },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
  } catch {
    return undefined;
  }
  child.unref();
  child.stdin?.on('error', () => undefined);
  (child.stdin as (Writable & { unref?: () => void }) | null)?.unref?.();
  return child;
}

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
