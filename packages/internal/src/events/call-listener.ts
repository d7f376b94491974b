/**
 * Calls a listener of the app. An error that it throws becomes a process warning, or a line on the console.
 *
 * @param name - The listener's name in the warning.
 */
export function callListener(name: string, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    const message = `${name} threw: ${error instanceof Error ? error.stack : String(error)}`;
    const { process: node, console } = globalThis as Runtime;
    if (node?.emitWarning) node.emitWarning(message);
    else console?.warn(message);
  }
}

interface Runtime {
  readonly process?: { emitWarning?(message: string): void };
  readonly console?: { warn(message: string): void };
}
