/** The same timer, which is no reason to keep the process; other runtimes than Node have no such notion. */
export function inBackground<Timer extends ReturnType<typeof setTimeout>>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
