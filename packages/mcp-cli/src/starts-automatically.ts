/**
 * True if a call, or a start without names, may start the server. A server that a command names has `autoStart`, even
 * a disabled one.
 */
export function startsAutomatically(server: { readonly autoStart: boolean; readonly disabled: boolean }): boolean {
  return server.autoStart && !server.disabled;
}
