export interface NodeHandleParts {
  /** Before the timer begins anew. */
  readonly onRefresh: () => void;
  readonly onClose: () => void;
}

/** What Node's `setTimeout` returns, of what the library returns: that cannot be closed or disposed of. */
export function nodeHandle(timer: unknown, { onRefresh, onClose }: NodeHandleParts): NodeJS.Timeout {
  const handle = timer as NodeJS.Timeout;
  const refresh = handle.refresh.bind(handle);
  return Object.assign(handle, {
    refresh: () => {
      onRefresh();
      return refresh();
    },
    close: () => {
      onClose();
      return handle;
    },
    [Symbol.dispose]: onClose,
  });
}
