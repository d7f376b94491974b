/** Looks so many times within the idle time; it is that much longer at most. */
const looks = 10;
const minLookMs = 20;

export interface IdleWatch {
  isBusy(): boolean;
  onIdle(): void;
}

/** Calls `onIdle` once nothing was busy for `idleMs`; never when that is left open. */
export function watchIdle(idleMs: number | undefined, { isBusy, onIdle }: IdleWatch): Disposable {
  if (idleMs === undefined) return { [Symbol.dispose]: () => undefined };
  let busyAt = performance.now();
  const timer = setInterval(
    () => {
      if (isBusy()) busyAt = performance.now();
      else if (performance.now() - busyAt >= idleMs) onIdle();
    },
    Math.max(idleMs / looks, minLookMs),
  );
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
