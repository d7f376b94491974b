/** Checks per idle time; the daemon may end later by one check interval. */
const checks = 10;
const minCheckMs = 20;

export interface IdleWatch {
  isBusy(): boolean;
  onIdle(): void;
}

/** Calls `onIdle` after `idleMs` without activity; never if `idleMs` is undefined. */
export function watchIdle(idleMs: number | undefined, { isBusy, onIdle }: IdleWatch): Disposable {
  if (idleMs === undefined) return { [Symbol.dispose]: () => undefined };
  let busyAt = performance.now();
  const timer = setInterval(
    () => {
      if (isBusy()) busyAt = performance.now();
      else if (performance.now() - busyAt >= idleMs) onIdle();
    },
    Math.max(idleMs / checks, minCheckMs),
  );
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
