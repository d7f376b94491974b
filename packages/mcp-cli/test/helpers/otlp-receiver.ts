import { serveOnLoopback } from '@x/test-servers';
import protocol from 'otlp-protocol/build/src/generated/root.js';
import { expect } from 'vitest';

type Fields = Readonly<Record<string, unknown>>;

/** A message type of the protocol, made from its own `.proto` files. */
interface MessageType {
  decode(bytes: Uint8Array): object;
  encode(message: object): { finish(): Uint8Array };
  fromObject(fields: Fields): object;
  toObject(message: object, options: object): Fields;
  verify(message: object): string | null;
}

export interface ExportedAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string };
}

interface Resource {
  readonly attributes: readonly ExportedAttribute[];
}

export interface ExportedSpan {
  readonly name: string;
  readonly kind: number;
  /** Ids are hexadecimal. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly ExportedAttribute[];
}

export interface ExportedMetric {
  readonly name: string;
  readonly unit: string;
  readonly histogram?: { readonly aggregationTemporality: number; readonly dataPoints: readonly ExportedHistogram[] };
  readonly gauge?: { readonly dataPoints: readonly ExportedNumber[] };
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly ExportedNumber[] };
}

interface ExportedHistogram {
  readonly attributes: readonly ExportedAttribute[];
  readonly count: string;
  readonly bucketCounts: readonly string[];
  readonly explicitBounds: readonly number[];
}

interface ExportedNumber {
  readonly attributes: readonly ExportedAttribute[];
  readonly asDouble?: number;
  readonly asInt?: string;
}

interface Exported {
  readonly resourceSpans?: readonly {
    readonly resource: Resource;
    readonly scopeSpans: readonly { readonly spans: readonly ExportedSpan[] }[];
  }[];
  readonly resourceMetrics?: readonly {
    readonly resource: Resource;
    readonly scopeMetrics: readonly { readonly metrics: readonly ExportedMetric[] }[];
  }[];
}

/** A collector that receives OTLP over HTTP, as protobuf or JSON, and rejects what the protocol does not have. */
export async function receiveOtlp() {
  const spans: ExportedSpan[] = [];
  const resources: ExportedAttribute[] = [];
  const faults: unknown[] = [];
  let metrics: readonly ExportedMetric[] = [];
  const { origin, close } = await serveOnLoopback(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray());
    const type = incoming.headers['content-type'] ?? '';
    try {
      const { resourceSpans = [], resourceMetrics = [] } = decoded(incoming.url ?? '', type, body);
      resources.push(...[...resourceSpans, ...resourceMetrics].flatMap(({ resource }) => resource.attributes));
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      const latest = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
      if (latest.length > 0) metrics = latest;
      response.writeHead(200, { 'content-type': type }).end(type === 'application/json' ? '{}' : '');
    } catch (error) {
      faults.push(error);
      response.writeHead(400).end();
    }
  });
  return {
    origin,
    spans,
    resources,
    /** What was not valid. */
    faults,
    /** The last export. */
    metrics: () => metrics,
    [Symbol.asyncDispose]: close,
  };
}

const { trace, metrics: measured } = (protocol as unknown as ProtocolRoot).opentelemetry.proto.collector;

interface ProtocolRoot {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: {
        readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: MessageType } };
        readonly metrics: { readonly v1: { readonly ExportMetricsServiceRequest: MessageType } };
      };
    };
  };
}

const types: Readonly<Record<string, MessageType>> = {
  '/v1/traces': trace.v1.ExportTraceServiceRequest,
  '/v1/metrics': measured.v1.ExportMetricsServiceRequest,
};

function decoded(path: string, contentType: string, body: Buffer): Exported {
  const type = types[path];
  if (type === undefined) throw new Error(`No signal is at ${path}`);
  if (contentType === 'application/x-protobuf') return decodedBytes(type, body);
  if (contentType === 'application/json') return decodedJson(type, JSON.parse(body.toString()));
  throw new Error(`No encoding is ${contentType}`);
}

/** Fields that the protocol does not have are lost, so that another encoding is shorter. */
function decodedBytes(type: MessageType, body: Buffer): Exported {
  const message = type.decode(body);
  const { length } = type.encode(message).finish();
  if (length !== body.length) throw new Error(`${body.length} bytes have ${length} of the protocol`);
  return fieldsOf(type, message);
}

/** @see https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
function decodedJson(type: MessageType, sent: Fields): Exported {
  const message = type.fromObject(
    mapped(sent, (key, value) => (isId(key) ? Buffer.from(String(value), 'hex') : value)) as Fields,
  );
  const fault = type.verify(message);
  if (fault !== null) throw new Error(fault);
  const fields = fieldsOf(type, message);
  expect(comparable(fields)).toEqual(comparable(sent)); // no field was unknown or of another type
  return fields;
}

function fieldsOf(type: MessageType, message: object): Exported {
  const fields = type.toObject(message, { longs: String, arrays: true });
  return mapped(fields, (key, value) =>
    isId(key) ? Buffer.from(value as Uint8Array).toString('hex') : value,
  ) as Exported;
}

/** 64-bit integers are numbers or text, and an empty list is the same as none. */
function comparable(value: unknown): unknown {
  return mapped(value, (_, each) => {
    if (Array.isArray(each) && each.length === 0) return undefined;
    return typeof each === 'number' ? String(each) : each;
  });
}

function isId(key: string): boolean {
  return key === 'traceId' || key === 'spanId' || key === 'parentSpanId';
}

function mapped(value: unknown, change: (key: string, value: unknown) => unknown, key = ''): unknown {
  const changed = change(key, value);
  if (typeof changed !== 'object' || changed === null || ArrayBuffer.isView(changed)) return changed;
  if (Array.isArray(changed)) return changed.map((each) => mapped(each, change));
  return Object.fromEntries(Object.entries(changed).map(([name, each]) => [name, mapped(each, change, name)]));
}
