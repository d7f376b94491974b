import type { ClientManagerOptions } from '@x/mcp-client-manager';

type Telemetry = NonNullable<ClientManagerOptions['telemetry']>;
type Session = Parameters<Telemetry['beginSession']>;
type ReadServers = Parameters<Telemetry['observeServers']>[0];

/** Telemetry that can begin after its manager was opened. Until then it reports nothing. */
export class LateTelemetry implements Telemetry {
  #current: Telemetry | undefined;
  /** What ends each open session and each observation. */
  readonly #sessions = new Map<Session, ReturnType<Telemetry['beginSession']> | undefined>();
  readonly #observed = new Map<ReadServers, Disposable | undefined>();

  /** Reports from now on to `telemetry` alone. Open sessions count from now; requests in progress are not moved. */
  use(telemetry: Telemetry): void {
    this.#current = telemetry;
    for (const session of this.#sessions.keys()) this.#sessions.set(session, telemetry.beginSession(...session));
    for (const [read, observing] of this.#observed) {
      observing?.[Symbol.dispose]();
      this.#observed.set(read, telemetry.observeServers(read));
    }
  }

  begin(request: Parameters<Telemetry['begin']>[0]): ReturnType<Telemetry['begin']> {
    return this.#current?.begin(request);
  }

  beginSession(...session: Session): ReturnType<Telemetry['beginSession']> {
    this.#sessions.set(session, this.#current?.beginSession(...session));
    return (error) => {
      this.#sessions.get(session)?.(error);
      this.#sessions.delete(session);
    };
  }

  observeServers(read: ReadServers): Disposable {
    this.#observed.set(read, this.#current?.observeServers(read));
    return {
      [Symbol.dispose]: () => {
        this.#observed.get(read)?.[Symbol.dispose]();
        this.#observed.delete(read);
      },
    };
  }
}
