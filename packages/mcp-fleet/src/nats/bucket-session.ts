import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { Connected } from './bounded.js';

export interface BucketSession {
  readonly connected: Connected;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly kv: KV;
}
