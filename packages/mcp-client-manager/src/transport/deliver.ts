/** Hands what came to a listener. One that throws must take down neither the host nor what came in the same moment. */
export function deliver<Value>(listener: (value: Value) => void, value: Value): void {
  try {
    listener(value);
  } catch (error) {
    process.emitWarning(`A message was not handled: ${error instanceof Error ? error.stack : String(error)}`);
  }
}
