import type { Client } from './client.js';

/** Clients that ask for one report after the other. */
export class Traffic {
  readonly #answers: string[] = [];
  readonly #clients: Promise<unknown>;
  #isOver = false;

  constructor(clients: readonly Client[]) {
    this.#clients = Promise.all(clients.map((client) => this.#work(client)));
  }

  /** Lets each client finish and call once more. Resolves with all answers. */
  async end(): Promise<readonly string[]> {
    this.#isOver = true;
    await this.#clients;
    return this.#answers;
  }

  async #work(client: Client): Promise<void> {
    do await this.#call(client);
    while (!this.#isOver);
    await this.#call(client);
  }

  async #call(client: Client): Promise<void> {
    const { status, text } = await client.call('mcp__reports__make_report', { pages: 5 });
    this.#answers.push(`${status} ${text}`);
  }
}
