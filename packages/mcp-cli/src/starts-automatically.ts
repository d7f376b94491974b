/** True if a call, or a start without names, may start the server. */
export function startsAutomatically(server: { readonly autoStart: boolean; readonly disabled: boolean }): boolean {
  return server.autoStart && !server.disabled;
}
