import type { CallView, LiveMessage, Sample, Snapshot } from '../../src/dashboard/page-messages.js';

/** As many as the daemon keeps. */
const maxSamples = 120;
const maxCalls = 200;

export type LiveState = { readonly connection: 'opening' | 'open' | 'lost' } & Snapshot;

export const nothingYet: LiveState = { connection: 'opening', servers: [], samples: {}, calls: [] };

/** What is known after a message. */
export function withMessage(state: LiveState, message: LiveMessage): LiveState {
  switch (message.type) {
    case 'snapshot':
      return { connection: 'open', ...message.snapshot };
    case 'server': {
      const { server, sample } = message;
      const isKnown = state.servers.some(({ name }) => name === server.name);
      const servers = isKnown
        ? state.servers.map((each) => (each.name === server.name ? server : each))
        : [...state.servers, server];
      return {
        ...state,
        servers,
        samples: { ...state.samples, [server.name]: withSample(state, server.name, sample) },
      };
    }
    case 'server-removed':
      return { ...state, servers: state.servers.filter(({ name }) => name !== message.name) };
    case 'call':
      return { ...state, calls: withCall(state.calls, message.call) };
  }
}

function withSample({ samples }: LiveState, server: string, sample: Sample): readonly Sample[] {
  const before = Object.hasOwn(samples, server) ? (samples[server] ?? []) : [];
  const last = before.at(-1);
  const isNews =
    last?.state !== sample.state || last.health !== sample.health || last.memoryBytes !== sample.memoryBytes;
  return isNews ? [...before, sample].slice(-maxSamples) : before;
}

function withCall(calls: readonly CallView[], call: CallView): readonly CallView[] {
  const isKnown = calls.some(({ id }) => id === call.id);
  return isKnown ? calls.map((each) => (each.id === call.id ? call : each)) : [...calls, call].slice(-maxCalls);
}
