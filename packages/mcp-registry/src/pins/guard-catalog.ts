import { Catalog } from '../catalog/catalog.js';
import type { RegistryDiagnostic } from '../catalog/diagnostics.js';
import { FindingsBook } from '../findings/findings-book.js';
import { OperatorPins } from './operator-pins.js';
import type { PinStore } from './pin-store.js';
import type { RegistryPins } from './registry-pins.js';
import { TrustGate } from './trust-gate.js';
import type { TrustPolicy } from './trust-policy.js';

/** A catalog that shows what is trusted, and what operators hold of the rest. */
export interface GuardedCatalog {
  readonly catalog: Catalog;
  readonly pins: RegistryPins;
  /** Of the catalog, of approvals, and what the texts of tools are suspected of. */
  diagnostics(): readonly RegistryDiagnostic[];
  /** Resolves when what was approved is kept. Never rejects. */
  settled(): Promise<void>;
}

export function guardCatalog(policy: TrustPolicy, store: PinStore): GuardedCatalog {
  const gate = new TrustGate({ policy, store, refresh: () => catalog.refresh() });
  const catalog: Catalog = new Catalog(gate);
  catalog.lifetime.onEnd(() => gate.events.clear());
  const findings = new FindingsBook(
    () => gate.offered,
    () => nativeNames(catalog),
  );
  return {
    catalog,
    pins: new OperatorPins({ gate, findings: () => findings.all, lifetime: catalog.lifetime }),
    diagnostics: () => [...gate.diagnostics(), ...catalog.diagnostics(), ...findings.all],
    settled: () => gate.settled(),
  };
}

function nativeNames({ current }: Catalog): readonly string[] {
  return current.tools.flatMap(({ server, name }) => (server === undefined ? [name] : []));
}
