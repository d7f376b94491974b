import { quote } from '@x/internal/text';
import type { RegistryDiagnostic } from '../../catalog/diagnostics.js';
import type { Admitted, TrustGate } from '../trust-gate.js';

const MAX_NAMED = 5;

export function trustDiagnostics({ failure, admitted, redacted }: TrustGate): readonly RegistryDiagnostic[] {
  const failed: readonly RegistryDiagnostic[] =
    failure === undefined
      ? []
      : [{ code: 'pin-store-failed', message: failure.message, cause: failure.cause ?? failure }];
  return [...failed, ...Array.from(admitted).flatMap((each) => heldBackDiagnostics(each, redacted.text))];
}

function heldBackDiagnostics(
  { offered: { name: server }, heldBack }: Admitted,
  redact: (text: string) => string,
): readonly RegistryDiagnostic[] {
  if (heldBack.length === 0) return [];
  const changed = heldBack.filter(({ trust }) => trust === 'changed').length;
  const pending = heldBack.length - changed;
  const unapprovable = heldBack.filter(({ obstacle }) => obstacle !== undefined);
  const named = unapprovable.slice(0, MAX_NAMED).map(({ tool, obstacle }) => `${quote(redact(tool))} (${obstacle})`);
  const message =
    `Server ${quote(server)}: ${heldBack.length} of its tools are held back until they are approved ` +
    `(${pending} never approved, ${changed} changed since); review them with pins.list(), then approve them` +
    (unapprovable.length === 0 ? '' : `. ${unapprovable.length} cannot be approved: ${named.join(', ')}`);
  return [{ code: 'tools-held-back', server, message, pending, changed }];
}
