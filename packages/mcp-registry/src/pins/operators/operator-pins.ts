import type { EventSource } from '@x/internal/contracts';
import type { Lifetime } from '../../catalog/lifetime.js';
import type {
  DiffOptions,
  OfferedTool,
  PinEvents,
  PinFilter,
  ReadTool,
  RegistryPins,
  ToolReference,
} from '../registry-pins.js';
import type { TrustGate } from '../trust-gate.js';
import type { OperatorReports } from './operator-reports.js';

interface OperatorPinsParts {
  readonly gate: TrustGate;
  readonly reports: () => Promise<OperatorReports>;
  readonly lifetime: Lifetime;
}

export class OperatorPins implements RegistryPins {
  readonly #gate: TrustGate;
  readonly #reports: () => Promise<OperatorReports>;
  readonly #lifetime: Lifetime;

  constructor({ gate, reports, lifetime }: OperatorPinsParts) {
    this.#gate = gate;
    this.#reports = reports;
    this.#lifetime = lifetime;
  }

  get events(): EventSource<PinEvents> {
    return this.#gate.events;
  }

  get ready(): Promise<void> {
    return this.#gate.ready;
  }

  async list(filter: PinFilter = {}): Promise<readonly OfferedTool[]> {
    const reports = await this.#reports();
    return reports.list(filter);
  }

  holdsInstructions(server: string): boolean {
    return this.#gate.holdsInstructions(server);
  }

  holdsTool(tool: ToolReference): boolean {
    return this.#gate.holdsTool(tool);
  }

  async diff(tool: ToolReference, options: DiffOptions = {}): Promise<string> {
    const reports = await this.#reports();
    return reports.diff(tool.server, reports.approvals.offered(tool), options);
  }

  async approve(read: ReadTool | readonly ReadTool[]): Promise<void> {
    this.#lifetime.throwIfOver();
    const { approvals } = await this.#reports();
    this.#lifetime.throwIfOver();
    await this.#gate.save(approvals.approve(read));
  }

  /** Hides a known tool before it returns. */
  async revoke({ server, tool }: { readonly server: string; readonly tool?: string | undefined }): Promise<void> {
    this.#lifetime.throwIfOver();
    const known = this.#gate.known(server);
    const isKnown = tool === undefined ? known !== undefined : known?.has(tool) === true;
    if (!isKnown) (await this.#reports()).approvals.requireOffered(server, tool);
    await this.#gate.save([{ type: 'revoke', server, ...(tool === undefined ? {} : { tools: [tool] }) }]);
  }

  async reload(): Promise<void> {
    this.#lifetime.throwIfOver();
    await this.#gate.reload();
  }
}
