import { ControlError } from '../control/control-error.js';
import type { FleetHost, FleetReport } from './fleet-report.js';

interface Place {
  /** `server@host` or `server@fleet`. */
  readonly source: string;
  readonly server: string;
  readonly host: string;
}

/**
 * Why nothing of another host can be had by that name right now.
 *
 * @param name - `server@host`, `server@fleet`, or the name of a tool that begins so. Of any other nothing is known here.
 */
export function whyOutOfReach(fleet: FleetReport | undefined, name: string): ControlError | undefined {
  const place = placeOf(name);
  if (fleet === undefined || place === undefined || place.host === fleet.host) return undefined;
  const { source, server, host } = place;
  if (fleet.phase !== 'joined') {
    const message = `"${source}" is of another host, and this one is ${phaseWords[fleet.phase]} the fleet "${fleet.fleet}".`;
    return new ControlError('bus-down', message, {
      hint: '"mcpx fleet status" shows what keeps it.',
      details: fleet.error === undefined ? [] : [fleet.error.message],
      retryable: fleet.phase !== 'failed',
    });
  }
  const others = fleet.hosts.filter(({ isOwn }) => !isOwn);
  if (host === 'fleet') {
    if (others.some(({ servers }) => servers.some((each) => each.source === source))) return undefined;
    const message = `No host of the fleet "${fleet.fleet}" offers a server named "${server}" as one of several hosts.`;
    return new ControlError('unknown-server', message, { hint: '"mcpx fleet status" shows what each host offers.' });
  }
  const known = others.find((each) => each.host === host);
  if (known === undefined) {
    return new ControlError('unknown-server', `The fleet "${fleet.fleet}" has no host named "${host}".`, {
      hint:
        others.length === 0 ? 'It has no other host.' : `Other hosts: ${others.map((each) => each.host).join(', ')}.`,
    });
  }
  if (known.state === 'unreachable') {
    const message = `"${source}" cannot be called: its host has not been heard of for a while.`;
    return new ControlError('host-unreachable', message, {
      hint: 'Its tools come back with it; "mcpx fleet status" shows which hosts are there.',
      retryable: true,
    });
  }
  if (known.servers.some((each) => each.server === server)) return undefined;
  return new ControlError('unknown-server', `The host "${host}" offers no server named "${server}" to the fleet.`, {
    hint: `It offers: ${offeredBy(known)}.`,
  });
}

/** What a command is told that asks for a server which another host has: here it can only be searched and called. */
export function whyNotHere(fleet: FleetReport | undefined, server: string): ControlError | undefined {
  const owner = fleet?.hosts.find(({ isOwn, servers }) => !isOwn && servers.some(({ source }) => source === server));
  if (owner === undefined) return whyOutOfReach(fleet, server);
  return new ControlError('runs-elsewhere', `"${server}" is a server of the host "${owner.host}", not of this one.`, {
    hint: 'Its tools can be found and called from here; for the rest, run the command on that host.',
  });
}

const phaseWords: Readonly<Record<FleetReport['phase'], string>> = {
  joining: 'still joining',
  joined: 'part of',
  'cut-off': 'cut off from',
  failed: 'no part of',
  left: 'leaving',
};

function placeOf(name: string): Place | undefined {
  const [source, server, host] = /^([^@]+)@([A-Za-z0-9_-]+)(?=[./]|$)/.exec(name) ?? [];
  return source === undefined || server === undefined || host === undefined ? undefined : { source, server, host };
}

function offeredBy({ servers }: FleetHost): string {
  return servers.map(({ server }) => server).join(', ') || 'nothing';
}
