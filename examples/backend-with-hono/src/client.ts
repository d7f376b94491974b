export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A client of the backend: a web page, an app. It knows no MCP. */
export class Client {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  async find(query: string): Promise<readonly string[]> {
    const url = `${this.#url}/tools?${new URLSearchParams({ query })}`;
    const response = await fetch(url, { headers: this.#headers });
    return (await response.json()) as readonly string[];
  }

  async call(tool: string, args: object = {}, signal: AbortSignal | null = null): Promise<Answer> {
    const body = JSON.stringify(args);
    const response = await fetch(`${this.#url}/tools/${tool}`, {
      method: 'POST',
      headers: this.#headers,
      body,
      signal,
    });
    const answer = (await response.json()) as { text?: string; error?: string };
    return { status: response.status, text: answer.text ?? answer.error ?? '' };
  }
}
