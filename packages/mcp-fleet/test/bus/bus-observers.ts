import { expect } from 'vitest';
import type { BucketChange, BucketWatcher, BusEvent, BusMessage, FleetBus } from '../../src/bus.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function bytes(value: string): Uint8Array {
  return encoder.encode(value);
}

export function text(value: Uint8Array): string {
  return decoder.decode(value);
}

/** What was heard on a subject and not taken yet. */
export function heard(bus: FleetBus, subject: string) {
  const messages: BusMessage[] = [];
  let wake: () => void = () => undefined;
  const subscription = bus.subscribe(subject, (message) => {
    messages.push(message);
    wake();
  });
  const take = async (count: number) => {
    while (messages.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages.splice(0, count);
  };
  return {
    take,
    next: async () => (await take(1))[0] as BusMessage,
    all: () => messages.splice(0),
    stop: () => subscription[Symbol.dispose](),
  };
}

/** Of whom nothing is asked. */
export const idleWatcher: BucketWatcher = { onStart() {}, onEntry() {}, onCurrent() {} };

/** A watch that records its events as lines: `start`, `key=value`, `key gone`, `current`. */
export function watched(bus: FleetBus) {
  const lines: string[] = [];
  const entries: BucketChange[] = [];
  let wake: () => void = () => undefined;
  const tell = (line: string) => {
    lines.push(line);
    wake();
  };
  const opened = bus.bucket.watch({
    onStart: () => tell('start'),
    onEntry(entry) {
      entries.push(entry);
      tell(entry.value === undefined ? `${entry.key} gone` : `${entry.key}=${text(entry.value)}`);
    },
    onCurrent: () => tell('current'),
  });
  let watch: Disposable | undefined;
  return {
    opened: opened.then((disposable) => {
      watch = disposable;
    }),
    entries: () => Array.from(entries),
    take: () => lines.splice(0),
    stop: () => watch?.[Symbol.dispose](),
    async until(line: string) {
      while (!lines.includes(line)) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** The next event of that type. To be asked before what causes it. */
export function eventOf<Type extends BusEvent['type']>(
  bus: FleetBus,
  type: Type,
): Promise<Extract<BusEvent, { readonly type: Type }>> {
  return new Promise((resolve) => {
    const subscription = bus.onEvent((event) => {
      if (event.type !== type) return;
      subscription[Symbol.dispose]();
      resolve(event as Extract<BusEvent, { readonly type: Type }>);
    });
  });
}

export function failureOf(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return error as Error;
  }
  throw new Error('It was to throw, and did not');
}

/** The warnings about listeners that threw, until there are `count`. */
export async function warnedDuring(action: () => Promise<void>, count: number): Promise<readonly Error[]> {
  const warnings: Error[] = [];
  let wake: () => void = () => undefined;
  const listen = (warning: Error) => {
    if (!warning.message.includes(' threw: ')) return;
    warnings.push(warning);
    wake();
  };
  process.on('warning', listen);
  try {
    await action();
    while (warnings.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    process.off('warning', listen);
  }
  return warnings;
}
