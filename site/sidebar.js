/** The order in which the pages are read; a page that is missing here fails `test/unit/docs/site.test.ts`. */
const page = (text, link) => ({ text, link: `/${link.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '.html')}` });

export const nav = [
  page('Quickstart', 'docs/quickstart.md'),
  page('Concepts', 'docs/concepts.md'),
  page('API', 'docs/api.md'),
  page('All pages', 'docs/README.md'),
];

export const sidebar = [
  {
    text: 'Start',
    items: [
      page('What it is', 'README.md'),
      page('Quickstart', 'docs/quickstart.md'),
      page('Concepts', 'docs/concepts.md'),
      page('FAQ', 'docs/faq.md'),
      page('Glossary', 'docs/glossary.md'),
    ],
  },
  {
    text: 'Use it',
    items: [
      page('Console', 'docs/console.md'),
      page('Files', 'docs/files.md'),
      page('API', 'docs/api.md'),
      page('Errors', 'docs/errors.md'),
      page('TypeScript client', 'docs/clients.md'),
      page('Python client', 'clients/python/README.md'),
      page('Language models (MCP)', 'docs/mcp.md'),
      page('Accounts', 'docs/accounts.md'),
    ],
  },
  {
    text: 'Models',
    items: [
      page('Training', 'docs/training.md'),
      page('Preset: scalp', 'docs/presets/scalp.md'),
      page('Preset: intraday', 'docs/presets/intraday.md'),
      page('Preset: swing', 'docs/presets/swing.md'),
      page('Evaluation', 'docs/evaluation.md'),
      page('Versions', 'docs/models.md'),
      page('Features', 'docs/features.md'),
      page('Rules', 'docs/rules.md'),
    ],
  },
  {
    text: 'Run it',
    items: [
      page('Settings', 'docs/settings.md'),
      page('Runtime', 'docs/runtime.md'),
      page('Native TensorFlow', 'docs/native.md'),
      page('Docker', 'docs/docker.md'),
      page('Operation', 'docs/operation.md'),
      page('Reliability', 'docs/reliability.md'),
      page('Security', 'docs/security.md'),
    ],
  },
  {
    text: 'How it is built',
    items: [
      page('Architecture', 'docs/architecture.md'),
      page('Decision records', 'docs/adr/README.md'),
      page('Benchmarks', 'docs/benchmarks/README.md'),
      page('Accounts, measured', 'docs/benchmarks/accounts.md'),
      page('Native on the processor', 'docs/benchmarks/native-cpu.md'),
      page('Rules, measured', 'docs/benchmarks/rules.md'),
      page('Serving, measured', 'docs/benchmarks/serving.md'),
      page('Topologies, measured', 'docs/benchmarks/topology.md'),
      page('Training, measured', 'docs/benchmarks/training.md'),
      page('Contributing', 'CONTRIBUTING.md'),
      page('Security policy', 'SECURITY.md'),
      page('Changelog', 'CHANGELOG.md'),
    ],
  },
];
