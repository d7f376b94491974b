import { parentPort, workerData } from 'node:worker_threads';
import type { FromSandbox, SandboxData, ToSandbox } from './messages.js';
import { Sandbox, withoutTypes } from './sandbox.js';

// A thread that runs one program after the other.

process.removeAllListeners('warning'); // the removal of types is experimental in Node
const send = (message: FromSandbox): void => {
  parentPort?.postMessage(message);
  if (message.type === 'end') next = open();
};
const data = workerData as SandboxData;
const { QuickJS } = (await import(data.engine.url)) as typeof import('quickjs-wasi');
const open = () => Sandbox.open({ ...data, QuickJS, send });
let next = open();
let current: Sandbox | undefined;

parentPort?.on('message', async (message: ToSandbox) => {
  if (message.type === 'settle') return current?.settle(message.id, message.isOk, message.json);
  current = await next;
  current.run(message.code);
});
await next;
withoutTypes(''); // loads the compiler before the first program
send({ type: 'ready' });
