/** The order in which the pages are read; a page that is missing here fails `test/unit/docs/site.test.ts`. */
const page = (text, link) => ({ text, link: `/${link.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '.html')}` });

export const nav = [
  page('Quickstart', 'docs/tutorial/quickstart.md'),
  page('Concepts', 'docs/explanation/concepts.md'),
  page('API', 'docs/how-to/api.md'),
  page('All pages', 'docs/README.md'),
];

export const sidebar = [
  {
    text: 'Start',
    items: [
      page('What it is', 'README.md'),
      page('Quickstart', 'docs/tutorial/quickstart.md'),
      page('Concepts', 'docs/explanation/concepts.md'),
      page('FAQ', 'docs/how-to/faq.md'),
      page('Glossary', 'docs/reference/glossary.md'),
    ],
  },
  {
    text: 'Use it',
    items: [
      page('Console', 'docs/how-to/console.md'),
      page('Files', 'docs/reference/files.md'),
      page('API', 'docs/how-to/api.md'),
      page('Live series', 'docs/how-to/live.md'),
      page('Routes', 'docs/reference/routes.md'),
      page('Live messages', 'docs/reference/live-messages.md'),
      page('Errors', 'docs/reference/errors.md'),
      page('TypeScript client', 'docs/how-to/clients.md'),
      page('Python client', 'clients/python/README.md'),
      page('Language models (MCP)', 'docs/how-to/mcp.md'),
      page('Teach it your market', 'docs/how-to/market.md'),
      page('Track record', 'docs/how-to/track-record.md'),
      page('Examples', 'examples/README.md'),
      page('Alerts', 'docs/how-to/alerts.md'),
      page('Accounts', 'docs/how-to/accounts.md'),
    ],
  },
  {
    text: 'Models',
    items: [
      page('Training', 'docs/tutorial/training.md'),
      page('A live desk', 'docs/tutorial/live-desk.md'),
      page('Preset: scalp', 'docs/presets/scalp.md'),
      page('Preset: intraday', 'docs/presets/intraday.md'),
      page('Preset: swing', 'docs/presets/swing.md'),
      page('Evaluation', 'docs/explanation/evaluation.md'),
      page('Versions', 'docs/how-to/models.md'),
      page('Features', 'docs/reference/features.md'),
      page('Rules', 'docs/reference/rules.md'),
    ],
  },
  {
    text: 'Run it',
    items: [
      page('Settings', 'docs/reference/settings.md'),
      page('Runtime', 'docs/explanation/runtime.md'),
      page('Native TensorFlow', 'docs/how-to/native.md'),
      page('Docker', 'docs/how-to/docker.md'),
      page('Kubernetes', 'docs/how-to/kubernetes.md'),
      page('Upgrade', 'docs/how-to/upgrade.md'),
      page('Capacity', 'docs/explanation/capacity.md'),
      page('Operation', 'docs/how-to/operation.md'),
      page('Reliability', 'docs/explanation/reliability.md'),
      page('Security', 'docs/explanation/security.md'),
    ],
  },
  {
    text: 'How it is built',
    items: [
      page('Principles', 'docs/explanation/principles.md'),
      page('Architecture', 'docs/explanation/architecture.md'),
      page('Decision records', 'docs/adr/README.md'),
      page('Benchmarks', 'docs/benchmarks/README.md'),
      page('Accounts, measured', 'docs/benchmarks/accounts.md'),
      page('Fixed thresholds, measured', 'docs/benchmarks/thresholds.md'),
      page('Live series, measured', 'docs/benchmarks/live.md'),
      page('Mutations', 'docs/benchmarks/mutations.md'),
      page('Native on the processor', 'docs/benchmarks/native-cpu.md'),
      page('Replicas, measured', 'docs/benchmarks/replicas.md'),
      page('Rules, measured', 'docs/benchmarks/rules.md'),
      page('Search for a better base', 'docs/benchmarks/search.md'),
      page('Serving, measured', 'docs/benchmarks/serving.md'),
      page('Topologies, measured', 'docs/benchmarks/topology.md'),
      page('Training, measured', 'docs/benchmarks/training.md'),
      page('Contributing', 'CONTRIBUTING.md'),
      page('Security policy', 'SECURITY.md'),
      page('Changelog', 'CHANGELOG.md'),
    ],
  },
];
