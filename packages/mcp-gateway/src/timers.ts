/** Keeps the timer from keeping the process alive. Does nothing in runtimes other than Node. */
export function inBackground<Timer extends ReturnType<typeof setTimeout>>(timer: Timer): Timer {
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
