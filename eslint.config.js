import tseslint from 'typescript-eslint';

export default tseslint.config(
  {
    ignores: [
      ...['node_modules', 'dist', 'dist.*', 'data', 'models', '.native', '.ci/cache'],
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
  { files: ['test/**/*.ts'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
  { files: ['*.config.js', 'site/.vitepress/**/*.js'], rules: { 'no-restricted-exports': 'off' } },
);
