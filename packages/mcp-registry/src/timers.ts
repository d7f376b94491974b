/** `undefined` where timers are not allowed, as in a Cloudflare Worker outside of a request. */
export function timerIfAllowed(callback: () => void, ms: number): ReturnType<typeof setTimeout> | undefined {
  try {
    return setTimeout(callback, ms);
  } catch {
    return undefined; // the wait has no limit
  }
}
