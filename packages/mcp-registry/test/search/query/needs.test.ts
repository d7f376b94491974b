import { describe, expect, test } from 'vitest';
import { splitNeeds } from '../../../src/search/query/needs.js';
import { QUERIES } from '../evaluation/evaluation-set.js';

describe('a task is split', () => {
  test.each([
    ['Read the sales data and plot a bar chart', ['Read the sales data', 'plot a bar chart']],
    ['read report.md, and then send an email', ['read report.md', 'send an email']],
    [
      'Find the latest papers. Please summarize the best paper.',
      ['Find the latest papers', 'Please summarize the best paper'],
    ],
    ['list open issues; close stale issues', ['list open issues', 'close stale issues']],
    ['Fetch the page,\nthen convert it to PDF', ['Fetch the page', 'then convert it to PDF']],
    [
      'Fetch economic reports, compare stock movements, and write a report',
      ['Fetch economic reports', 'compare stock movements', 'write a report'],
    ],
    ['Plot monthly sales. Also, please send an email', ['Plot monthly sales', 'Also, please send an email']],
    ['My boss is ill. Read the inbox and write a reply', ['My boss is ill. Read the inbox', 'write a reply']],
  ])('%j', (query, needs) => {
    expect(splitNeeds(query)).toEqual(needs);
  });

  test('into at most six, of which the last has the rest', () => {
    const needs = splitNeeds(Array.from({ length: 9 }, (_, at) => `read the file${at} carefully`).join('. '));
    expect(needs).toHaveLength(6);
    expect(needs[5]).toContain('file8');
  });
});

describe('a single need is whole', () => {
  test.each([
    'read and write files',
    'search for and replace text in a file',
    'audio processing: load audio file, convert WAV to time series',
    'list issues and pull requests',
    'find the file "copy it and delete the rest"',
    'check whether http://example.com/read.it and.then is up',
    'get a list of restaurants for children, adults and dogs',
    '',
    '...',
    'and then',
  ])('%j', (query) => {
    expect(splitNeeds(query)).toEqual([]);
  });

  test('for queries that a model writes, and prompts of people who name what they want', () => {
    const split = QUERIES.filter(({ query }) => splitNeeds(query).length > 0).map(({ suite }) => suite);
    expect(split).not.toContain('livemcp-agent');
    expect(split).not.toContain('azure-a');
    expect(split.filter((suite) => suite === 'metatool-a').length).toBeLessThanOrEqual(9);
    expect(split.filter((suite) => suite === 'livemcp-task').length).toBeGreaterThanOrEqual(38);
  });
});
