// The files of deploy/, as far as they can be looked at without a machine that systemd runs, and without a cluster.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../root.mjs';

const deploy = join(root, 'deploy');
const textOf = (...path) => readFileSync(join(deploy, ...path), 'utf8');

// As Kubernetes reads them: 0440 is a number of three octal digits.
const documentsOf = (file) => parseAllDocuments(textOf('kubernetes', file), { version: '1.1' });
const kustomization = documentsOf('kustomization.yaml')[0].toJS();
const resources = kustomization.resources.flatMap((file) => documentsOf(file).map((document) => document.toJS()));
const workloads = resources.filter(({ kind }) => kind === 'StatefulSet');
const services = resources.filter(({ kind }) => kind === 'Service');
const program = readFileSync(join(root, 'docs/snippets/nats/fleet-node.ts'), 'utf8');
const fleetPackage = JSON.parse(readFileSync(join(root, 'packages/mcp-fleet/package.json'), 'utf8'));
const operations = readFileSync(join(root, 'docs/fleet-operations.md'), 'utf8');

test('every file for Kubernetes is read without a fault, and belongs to the whole', () => {
  const files = readdirSync(join(deploy, 'kubernetes'));
  const generated = kustomization.configMapGenerator.flatMap((map) => map.files);
  expect(files.filter((file) => file !== 'kustomization.yaml').toSorted()).toEqual(
    [...kustomization.resources, ...generated].toSorted(),
  );
  for (const file of files.filter((name) => name.endsWith('.yaml'))) {
    expect(documentsOf(file).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  }
});

test('what is selected, named and mounted is there, or is made by a command of the page', () => {
  const maps = kustomization.configMapGenerator.map(({ name }) => name);
  for (const { metadata, spec } of workloads) {
    const { template } = spec;
    expect(spec.selector.matchLabels).toEqual(template.metadata.labels);
    const governing = services.find(({ metadata: { name } }) => name === spec.serviceName);
    expect(governing.spec).toMatchObject({ clusterIP: 'None', selector: spec.selector.matchLabels });
    const own = (spec.volumeClaimTemplates ?? []).map((claim) => claim.metadata.name);
    const volumes = [...template.spec.volumes.map(({ name }) => name), ...own];
    for (const { volumeMounts } of template.spec.containers) {
      expect(volumeMounts.map(({ name }) => name).toSorted(), metadata.name).toEqual(volumes.toSorted());
    }
    for (const { configMap, secret } of template.spec.volumes) {
      if (configMap) expect(maps).toContain(configMap.name);
      if (secret) expect(operations).toContain(`create secret generic ${secret.secretName} `);
    }
  }
  const labels = workloads.map(({ spec }) => spec.template.metadata.labels);
  const chosen = resources
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec.podSelector.matchLabels);
  expect(chosen).toEqual(labels);
});

test('ports and probes of containers are named alike', () => {
  for (const { spec } of workloads) {
    for (const { ports, ...container } of spec.template.spec.containers) {
      const names = ports.map(({ name }) => name);
      const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].flatMap((probe) => container[probe] ?? []);
      expect(probes.length).toBeGreaterThan(0);
      for (const { httpGet } of probes) expect(names).toContain(httpGet.port);
    }
  }
  for (const { spec } of services) {
    const target = workloads.find(
      ({ spec: { selector } }) =>
        selector.matchLabels['app.kubernetes.io/name'] === spec.selector['app.kubernetes.io/name'],
    );
    const ports = target.spec.template.spec.containers[0].ports.map(({ name }) => name);
    for (const { targetPort } of spec.ports) expect(ports).toContain(targetPort);
  }
});

test('no pod is starved by the affinity of clients, and a client is answered under every name that it may call', () => {
  const spread = services.filter(({ spec }) => spec.clusterIP !== 'None');
  expect(spread.length).toBeGreaterThan(0);
  for (const { spec } of services) expect(spec).not.toHaveProperty('sessionAffinity');

  const { spec } = workloads.find(({ metadata }) => metadata.name === 'fleet-node');
  const [{ env, readinessProbe, livenessProbe, lifecycle }] = spec.template.spec.containers;
  const answered = env.find(({ name }) => name === 'GATEWAY_HOST').value.split(',');
  const { namespace } = kustomization;
  const suffixes = ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`];
  const called = [...spread.map(({ metadata }) => metadata.name), `$(FLEET_NODE).${spec.serviceName}`];
  expect(answered).toEqual(called.flatMap((name) => suffixes.map((suffix) => name + suffix)));
  // What refers to a variable comes after it.
  expect(env.findIndex(({ name }) => name === 'FLEET_NODE')).toBeLessThan(
    env.findIndex(({ name }) => name === 'GATEWAY_HOST'),
  );
  for (const { httpGet } of [readinessProbe, livenessProbe]) {
    expect(httpGet).toEqual({ path: /healthPath: '(.+?)'/.exec(program)[1], port: 'gateway' });
  }
  const [, seconds] = lifecycle.preStop.exec.command;
  const drainSeconds = 20; // by default
  expect(program).toContain('await gateway.drain();');
  expect(Number(seconds) + drainSeconds).toBeLessThan(spec.template.spec.terminationGracePeriodSeconds);
});

test('the page makes logins for the nodes that there are, and a role names no others', () => {
  const { metadata, spec } = workloads.find(({ metadata: { name } }) => name === 'fleet-node');
  const nodes = Array.from({ length: spec.replicas }, (_, number) => `${metadata.name}-${number}`);
  expect(operations).toContain(`node fleet-logins.mjs ${nodes.join(' ')}\n`);
  expect(operations).toContain(`fleet-seeds ${nodes.map((node) => `--from-file=${node}.seed`).join(' ')}\n`);
  const named = textOf('kubernetes', 'tools.yaml').match(/@fleet-node-\d+(?=\.\w+_\*)/g);
  expect(named).toEqual(nodes.map((node) => `@${node}`));
});

test('the image has all that the program imports and the nodes run', () => {
  const dockerfile = textOf('image', 'Dockerfile');
  const [, installed = ''] =
    /^npm install ((?:.|\\\n)*?[^\\])$/m.exec(operations.slice(operations.indexOf('### The image'))) ?? [];
  const packages = installed.split(/[\s\\]+/).map((name) => name.replace(/(?<=.)@.*$/, ''));
  const imported = Array.from(program.matchAll(/from '((?:@[\w-]+\/)?[\w-]+)[^']*'/g), ([, name]) => name);
  const run = textOf('kubernetes', 'mcp_servers.yaml').match(/(?<=node_modules\/)@[\w-]+\/[\w-]+/g);
  const peers = Object.keys(fleetPackage.peerDependencies);
  expect(packages).toEqual(
    expect.arrayContaining([...imported.filter((name) => name.startsWith('@')), ...run, ...peers]),
  );

  const [node] = workloads.find(({ metadata }) => metadata.name === 'fleet-node').spec.template.spec.containers;
  expect(dockerfile).toContain(`CMD ["${node.command.join('", "')}"]`);
});

test.each(['fleet-logins', 'fleet-try'])('%s.mjs is plain JavaScript', (name) => {
  const source = readFileSync(join(root, `docs/snippets/nats/${name}.ts`), 'utf8');
  const [, text] = /\/\/ #region program\n(.*)\/\/ #endregion program/s.exec(source);
  expect(text.startsWith(`// ${name}.mjs\n`)).toBe(true);
  const asModule = ['--check', '--input-type=module'];
  expect(execFileSync(process.execPath, asModule, { input: text, encoding: 'utf8' })).toBe('');
});

test('nothing in the cluster runs as root, writes where it should not, or knows the cluster', () => {
  expect(resources.find(({ kind }) => kind === 'Namespace').metadata.labels).toEqual({
    'pod-security.kubernetes.io/enforce': 'restricted',
  });
  for (const { spec } of workloads) {
    const pod = spec.template.spec;
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const { securityContext } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    const secrets = pod.volumes.filter(({ secret }) => secret && !secret.items);
    expect(secrets.length).toBeGreaterThan(0);
    for (const { secret } of secrets) expect(secret.defaultMode).toBe(0o440);
  }
});

test('a node sees its own seed and nobody else’s', () => {
  const [node] = workloads.find(({ metadata }) => metadata.name === 'fleet-node').spec.template.spec.containers;
  const seeds = node.volumeMounts.filter(({ name }) => name === 'seeds');
  expect(seeds).toEqual([
    { name: 'seeds', mountPath: '/run/fleet/seed', subPathExpr: '$(FLEET_NODE).seed', readOnly: true },
  ]);
});

const unitsOf = (folder) => readdirSync(join(deploy, folder)).filter((name) => name.endsWith('.service'));

describe.each(unitsOf('systemd'))('%s', (name) => {
  const unit = readUnit(textOf('systemd', name));

  test('runs as a user of its own, who can gain nothing', () => {
    const { User, Group, NoNewPrivileges, CapabilityBoundingSet, ProtectSystem } = unit.Service;
    expect([User, Group]).toEqual([[name.replace('.service', '')], [name.replace('.service', '')]]);
    expect([NoNewPrivileges, CapabilityBoundingSet, ProtectSystem]).toEqual([['yes'], [''], ['strict']]);
  });

  test('lets what it runs end its servers itself, and starts it again when it has failed', () => {
    const { KillMode, TimeoutStopSec, Restart, ExecStart } = unit.Service;
    expect([KillMode, TimeoutStopSec, Restart]).toEqual([['mixed'], ['30'], ['on-failure']]);
    expect(ExecStart).toHaveLength(1);
    expect(unit.Install.WantedBy).toEqual(['multi-user.target']);
  });
});

test('the unit of mcpx runs what the one that mcpx writes itself runs', () => {
  expect(readUnit(textOf('systemd/mcpx.service')).Service).toMatchObject({
    ExecStart: ['/usr/bin/mcpx up --foreground --config /etc/mcpx'],
    ExecReload: ['/usr/bin/mcpx daemon reload --config /etc/mcpx'],
  });
});

test.each([
  ['systemd', readUnit(textOf('systemd/fleet-node.service')).Service.Environment.map((line) => line.split('=')[0])],
  [
    'Kubernetes',
    workloads
      .find(({ metadata }) => metadata.name === 'fleet-node')
      .spec.template.spec.containers[0].env.map(({ name }) => name),
  ],
])('what %s tells the program is what the program asks for', (_where, names) => {
  const asked = new Set(program.match(/\b[A-Z]+_[A-Z_]+\b/g));
  expect(names.filter((name) => name !== 'HOME' && !asked.has(name))).toEqual([]);
  expect(
    ['FLEET_NODE', 'FLEET_SEED_FILE', 'NATS_SERVERS', 'TOKENS_FILE'].filter((name) => !names.includes(name)),
  ).toEqual([]);
});

test.each(['nats/nats-server.conf', 'kubernetes/nats-server.conf'])('%s wants TLS and a login', (file) => {
  const text = textOf(file);
  expect(text).toMatch(/^tls \{$/m);
  expect(text).toMatch(/^jetstream \{$/m);
  expect(text).toMatch(/^include ".*accounts\.conf"$/m);
});

/** Sections, their keys, and the values in their order. */
function readUnit(text) {
  const sections = {};
  let section;
  for (const line of text.split('\n')) {
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (title !== undefined) section = sections[title] = {};
    const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    section[key] = [...(section[key] ?? []), value];
  }
  return sections;
}
