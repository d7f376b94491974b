import type { Tools } from '@x/mcp';

const verbs = {
  get: 'Looks up one',
  list: 'Lists every',
  create: 'Makes a new',
  update: 'Changes a field of a',
  approve: 'Approves a',
  cancel: 'Cancels a',
  archive: 'Puts away a',
  export: 'Writes a spreadsheet of every',
} as const;

const things = [
  ...['order', 'quote', 'invoice', 'refund', 'credit_note', 'payment', 'payout', 'price', 'discount', 'voucher'],
  ...['shipment', 'parcel', 'carrier', 'return', 'warehouse', 'shelf', 'stock_item', 'delivery_slot', 'customs_form'],
  ...['customer', 'supplier', 'contract', 'complaint', 'review', 'newsletter', 'campaign', 'survey', 'loyalty_card'],
  ...['employee', 'shift', 'holiday', 'expense', 'training', 'meeting_room', 'device', 'licence', 'audit', 'report'],
] as const;

type Fields = Record<string, unknown>;

/** A made-up back office with some 300 tools of its own, all of which work on the same records. */
export function registerBackOffice(tools: Tools): Map<string, Fields> {
  const records = new Map<string, Fields>([
    ['shipment A-4711', { id: 'A-4711', status: 'lost', refund: 'R-77' }],
    ['refund R-77', { id: 'R-77', amount: 49.9, status: 'waiting' }],
  ]);
  for (const thing of things) {
    for (const [verb, does] of Object.entries(verbs)) {
      tools.add(
        {
          name: `${verb}_${thing}`,
          description: `${does} ${thing.replaceAll('_', ' ')} in the back office.`,
          inputSchema: schemaOf(verb),
        },
        (args) => work(records, { verb, thing, ...args }),
      );
    }
  }
  return records;
}

function schemaOf(verb: string): Fields {
  const id = { type: 'string', description: 'The number that the back office gave it' };
  const fields = { type: 'object', description: 'What it is to hold' };
  if (verb === 'list' || verb === 'export') return { type: 'object', properties: {} };
  if (verb === 'create') return { type: 'object', properties: { fields }, required: ['fields'] };
  if (verb === 'update') return { type: 'object', properties: { id, fields }, required: ['id', 'fields'] };
  return { type: 'object', properties: { id }, required: ['id'] };
}

interface Job {
  readonly verb: string;
  readonly thing: string;
  readonly id?: unknown;
  readonly fields?: unknown;
}

function work(records: Map<string, Fields>, { verb, thing, id, fields }: Job): unknown {
  if (verb === 'list' || verb === 'export') {
    return Array.from(records).flatMap(([key, record]) => (key.startsWith(`${thing} `) ? [record] : []));
  }
  const key = `${thing} ${verb === 'create' ? crypto.randomUUID() : id}`;
  const record = records.get(key);
  if (record === undefined && verb !== 'create') throw new Error(`There is no ${thing} ${id}`);
  if (verb === 'get') return record;
  const status = { approve: 'approved', cancel: 'cancelled', archive: 'archived' }[verb];
  const changed = { ...record, ...(fields as Fields | undefined), ...(status && { status }) };
  records.set(key, changed);
  return changed;
}
