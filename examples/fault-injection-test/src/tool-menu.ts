import type { ClientManager } from '@x/mcp-client-manager';

/** The tools of all servers as a host shows them, kept up to date until it is disposed. */
export class ToolMenu implements Disposable {
  /** Called with the entries whenever they may have changed. */
  onChanged: (entries: readonly string[]) => void = () => undefined;
  readonly #manager: ClientManager;
  readonly #listening: readonly Disposable[];

  constructor(manager: ClientManager) {
    this.#manager = manager;
    this.#listening = manager.servers().map((server) => server.onToolsChanged(() => this.onChanged(this.entries)));
  }

  get entries(): readonly string[] {
    return this.#manager.servers().flatMap(({ name, listTools }) => listTools().map((tool) => `${name}/${tool.name}`));
  }

  [Symbol.dispose](): void {
    for (const listening of this.#listening) listening[Symbol.dispose]();
  }
}
