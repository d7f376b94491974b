/** A timer, or `undefined` where the runtime refuses one: a Cloudflare Worker does outside of a request. */
export function timerIfAllowed(callback: () => void, ms: number): ReturnType<typeof setTimeout> | undefined {
  try {
    return setTimeout(callback, ms);
  } catch {
    return undefined; // the wait has no limit then
  }
}
