// Without the SDK, so that hosts that start no server do not load it.

/** A failure without body and request, which may contain secret headers: the SDK repeats them in messages and data. */
export class HttpFailure extends Error {
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined) {
    super(message);
    this.status = status;
  }
}

const passingStatuses: ReadonlySet<number> = new Set([401, 403, 408, 421, 425, 429]);

/** True if the server answered that it does not offer what was requested. */
export function isLastingRefusal(error: unknown): boolean {
  const status = error instanceof HttpFailure ? error.status : undefined;
  return status !== undefined && status >= 400 && status < 500 && !passingStatuses.has(status);
}
