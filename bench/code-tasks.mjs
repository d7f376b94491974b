// Ten tasks of 5 to 20 calls, each as the program that a model writes for it. Its calls are those that a model makes without programs.

/** @type {readonly { readonly name: string, readonly program: string }[]} */
export const tasks = [
  {
    name: 'count the TODOs in all files',
    program: `const { files } = await tools.mcp__files__list();
const texts = await Promise.all(files.map((path) => tools.mcp__files__read({ path })));
return Object.fromEntries(files.map((path, i) => [path, texts[i].split('TODO').length - 1]));`,
  },
  {
    name: 'replace a host name in all files',
    program: `const { files } = await tools.mcp__files__list();
const changed = [];
for (const path of files) {
  const text = await tools.mcp__files__read({ path });
  if (!text.includes('old.example.com')) continue;
  await tools.mcp__files__write({ path, text: text.replaceAll('old.example.com', 'new.example.com') });
  changed.push(path);
}
return changed;`,
  },
  {
    name: 'label crashes that have no label, and say so',
    program: `const labelled = [];
for (const page of [1, 2]) {
  const { items } = await tools.mcp__issues__list({ page });
  for (const { number, title, labels } of items) {
    if (!title.includes('Crash') || labels.includes('crash')) continue;
    await tools.mcp__issues__label({ number, label: 'crash' });
    await tools.mcp__issues__comment({ number, body: 'Labelled as a crash.' });
    labelled.push(number);
  }
}
return labelled;`,
  },
  {
    name: 'find who changed most lines',
    program: `const { commits } = await tools.mcp__git__log();
const lines = {};
for (const { author, files } of await Promise.all(commits.map(({ id }) => tools.mcp__git__show({ id }))))
  for (const { added, removed } of files) lines[author] = (lines[author] ?? 0) + added + removed;
return lines;`,
  },
  {
    name: 'remind customers of unpaid invoices',
    program: `const { items } = await tools.mcp__billing__customers({ page: 1 });
const reminded = [];
for (const { id } of items.slice(0, 5)) {
  const { invoices } = await tools.mcp__billing__invoices({ customer: id });
  for (const { id: invoice, isPaid, due } of invoices)
    if (!isPaid && due < '2026-11') {
      await tools.mcp__billing__remind({ invoice });
      reminded.push(invoice);
    }
}
return reminded;`,
  },
  {
    name: 'find the slowest service and hour',
    program: `const { services } = await tools.mcp__metrics__services();
const all = await Promise.all(services.map((service) => tools.mcp__metrics__latency({ service })));
return all.flatMap(({ service, hours }) => hours.map((hour) => ({ service, ...hour }))).sort((a, b) => b.p95 - a.p95)[0];`,
  },
  {
    name: 'write a changelog of fixes',
    program: `const { commits } = await tools.mcp__git__log();
const fixes = commits.filter(({ title }) => title.startsWith('fix'));
const shown = await Promise.all(fixes.map(({ id }) => tools.mcp__git__show({ id })));
const text = shown.map(({ title, author }) => \`- \${title.slice(5)} (\${author})\`).join('\\n');
await tools.mcp__files__write({ path: 'CHANGELOG.md', text });
return fixes.length;`,
  },
  {
    name: 'answer crashes that have no comment',
    program: `const pages = await Promise.all([1, 2].map((page) => tools.mcp__issues__list({ page })));
const open = pages.flatMap(({ items }) => items).filter(({ title }) => title.includes('Crash')).slice(0, 4);
const bodies = await Promise.all(open.map(({ number }) => tools.mcp__issues__get({ number })));
for (const { number, author } of bodies)
  await tools.mcp__issues__comment({ number, body: \`Thanks, @\${author}. Which version is this?\` });
return bodies.map(({ number }) => number);`,
  },
  {
    name: 'sum what each city owes',
    program: `const { items } = await tools.mcp__billing__customers({ page: 1 });
const all = await Promise.all(items.map(({ id }) => tools.mcp__billing__invoices({ customer: id })));
const owed = {};
items.forEach(({ city }, i) => {
  for (const { amount, isPaid } of all[i].invoices) if (!isPaid) owed[city] = (owed[city] ?? 0) + amount;
});
return owed;`,
  },
  {
    name: 'index the titles of some files',
    program: `const { files } = await tools.mcp__files__list();
const texts = await Promise.all(files.slice(0, 4).map((path) => tools.mcp__files__read({ path })));
const text = texts.map((each, i) => \`\${files[i]}: \${each.split('\\n')[0].slice(2)}\`).join('\\n');
await tools.mcp__files__write({ path: 'INDEX.md', text });
return text;`,
  },
];
