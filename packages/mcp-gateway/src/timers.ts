/** The same timer, which does not keep the process alive; runtimes other than Node have no such notion. */
export function inBackground<Timer extends ReturnType<typeof setTimeout>>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
