import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      ...['node_modules', 'dist', 'clients/typescript/dist', 'dist.*', 'data', 'models', '.native', '.ci/cache'],
      ...['src/runtime/assembly', 'test/architecture/imports.test.ts'],
    ],
  },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true } }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['{src,training,bench,test,scripts,clients/typescript/src}/**/*.ts'],
    languageOptions: {
      parserOptions: { project: ['tsconfig.test.json', 'tsconfig.console.json'], tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
    },
  },
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
  { files: ['*.config.js', 'site/.vitepress/**/*.js'], rules: { 'no-restricted-exports': 'off' } },
);
