/** A timer, or `undefined` if the runtime refuses one, as a Cloudflare Worker does outside of a request. */
export function timerIfAllowed(callback: () => void, ms: number): ReturnType<typeof setTimeout> | undefined {
  try {
    return setTimeout(callback, ms);
  } catch {
    return undefined; // the wait has no limit then
  }
}
