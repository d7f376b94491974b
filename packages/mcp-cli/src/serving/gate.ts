type Fetch = (request: Request) => Promise<Response>;

/** Holds requests until there is somebody to answer them, and turns away those that come after the end. */
export class Gate {
  readonly #opened: Promise<Fetch>;
  #open: (fetch: Fetch) => void = () => undefined;
  #isEnding = false;

  constructor() {
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  readonly fetch: Fetch = async (request) => {
    const answer = await this.#opened;
    return this.#isEnding ? ending() : answer(request);
  };

  open(fetch: Fetch): void {
    this.#open(fetch);
  }

  end(): void {
    this.#isEnding = true;
    this.#open(async () => ending());
  }
}

/** On a connection that the client has kept: a new one would find nobody. */
function ending(): Response {
  const error = { code: -32_000, message: 'The gateway is about to end' };
  return Response.json(
    { jsonrpc: '2.0', id: null, error },
    { status: 503, headers: { connection: 'close', 'retry-after': '5' } },
  );
}
