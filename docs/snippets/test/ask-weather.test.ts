// ask-weather.test.ts
import { createClientManager, isManagerError } from '@x/mcp-client-manager';
import { expectNoLeaks, fakeServer, installFakeClock, untilPhase } from '@x/mcp-client-manager/testing';
import { expect, test } from 'vitest';
import { askWeather } from './ask-weather.js';

test('a server that dies over a question is asked again', async () => {
  await using fake = fakeServer({ tools: [{ name: 'weather', answers: [{ exit: 1 }, { text: 'sunny' }] }] });
  {
    await using manager = createClientManager({ servers: [{ name: 'sky', ...fake.stdio() }] });
    expect(await askWeather(manager, 'Oslo')).toBe('sunny');
  }
  expect(fake.calls('weather')).toMatchObject([{ start: 1 }, { start: 2, arguments: { city: 'Oslo' } }]);
  await expectNoLeaks();
});

test('nobody waits for more than a minute', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ tools: [{ name: 'weather', answers: ['hang'] }] });
  await using manager = createClientManager({ servers: [{ name: 'sky', ...(await fake.http()) }] });
  await manager.server('sky').start();
  const failure = askWeather(manager, 'Oslo').catch((error: unknown) => error);
  await clock.advance(60_000);
  const error = await failure;
  expect(isManagerError(error) && error.code).toBe('timed-out');
});

test('a server that nobody asks is stopped after ten minutes, and started by the next question', async () => {
  using clock = installFakeClock();
  await using fake = fakeServer({ tools: [{ name: 'weather', answers: [{ text: 'sunny' }, { text: 'rain' }] }] });
  await using manager = createClientManager({
    servers: [{ name: 'sky', ...fake.stdio(), limits: { idleStopMs: 600_000 } }],
  });
  expect(await askWeather(manager, 'Oslo')).toBe('sunny');
  await clock.advance(600_000);
  await untilPhase(manager, 'sky', 'idle');
  expect(await askWeather(manager, 'Oslo')).toBe('rain');
  expect(fake.starts()).toHaveLength(2);
});
