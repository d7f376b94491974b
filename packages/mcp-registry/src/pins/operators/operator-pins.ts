import type { EventSource } from '@x/internal/contracts';
import type { Lifetime } from '../../catalog/lifetime.js';
import type { PinChange } from '../pin-store.js';
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
import { type OperatorCode, operatorCode } from './operator-code.js';
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
    return reports.diff(tool, options);
  }

  async approve(read: ReadTool | readonly ReadTool[]): Promise<void> {
    await this.#change(({ approvalOf }) => approvalOf(this.#gate, read));
  }

  async revoke(tool: { readonly server: string; readonly tool?: string | undefined }): Promise<void> {
    await this.#change(({ revocationOf }) => [revocationOf(this.#gate, tool)]);
  }

  async reload(): Promise<void> {
    this.#lifetime.throwIfOver();
    await this.#gate.reload();
  }

  async #change(changesOf: (code: OperatorCode) => readonly PinChange[]): Promise<void> {
    this.#lifetime.throwIfOver();
    // At once if it can: a close waits for changes that have begun.
    const code = operatorCode.loaded ?? (await operatorCode.load());
    this.#lifetime.throwIfOver();
    await this.#gate.save(changesOf(code));
  }
}
