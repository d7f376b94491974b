export interface RemoteClient {
  readonly node: string;
  readonly incarnation: number;
  readonly number: number;
}

/** One object per client at another node, kept as long as it is referenced, so that sources can compare clients. */
export class RemoteClients {
  readonly #clients = new Map<string, WeakRef<RemoteClient>>();
  readonly #forgotten = new FinalizationRegistry<string>((key) => {
    if (this.#clients.get(key)?.deref() === undefined) this.#clients.delete(key);
  });

  find(client: RemoteClient): RemoteClient {
    const key = `${client.node} ${client.incarnation} ${client.number}`;
    const known = this.#clients.get(key)?.deref();
    if (known !== undefined) return known;
    this.#clients.set(key, new WeakRef(client));
    this.#forgotten.register(client, key);
    return client;
  }
}
