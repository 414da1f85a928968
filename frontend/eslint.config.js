import { readdirSync } from 'node:fs';
import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

// lib, components → api, charts → features → routes → app → export: a layer imports only those
// before it.
const LAYERS = ['lib', 'components', 'api', 'charts', 'features', 'routes', 'app', 'export'];
const MAY_IMPORT = {
  lib: ['lib'],
  components: ['lib', 'components'],
  api: ['lib', 'api'],
  charts: ['lib', 'components', 'charts'],
  features: ['lib', 'components', 'api', 'charts', 'features'],
  routes: ['lib', 'components', 'api', 'charts', 'features', 'routes'],
  app: ['lib', 'components', 'api', 'charts', 'features', 'routes', 'app'],
  export: LAYERS,
};

const UPWARDS = {
  regex: '^\\.\\./',
  message:
    'Import ./… within a folder and @/… across folders, to show which layers depend on each other.',
};

function layerRules(layer) {
  const forbidden = LAYERS.filter((other) => !MAY_IMPORT[layer].includes(other));
  const patterns = [UPWARDS];
  if (forbidden.length > 0) {
    patterns.push({
      regex: `^@/(${forbidden.join('|')})(/|$)`,
      message: `${layer}/ may import only from ${MAY_IMPORT[layer].join(', ')}.`,
    });
  }
  if (layer !== 'components') {
    patterns.push({
      regex: '^@mantine/core$',
      importNames: ['Modal'],
      message:
        'Draw dialogs with components/Dialog, which loads the code of dialogs when it is needed.',
    });
  }
  if (layer !== 'charts') {
    patterns.push({ regex: '^recharts', message: 'Only charts/ imports Recharts.' });
  }
  return patterns;
}

function restrict(folder, patterns) {
  return {
    files: [`src/${folder}/**/*.{ts,tsx}`],
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}

// A feature imports its own subfolders as @/features/<feature>/…, and no other feature.
function featureRules(feature) {
  return restrict(`features/${feature}`, [
    ...layerRules('features'),
    {
      regex: `^@/features/(?!${feature}/)`,
      message: 'A feature may not import another feature.',
    },
  ]);
}

const NO_TABLE = {
  selector: 'JSXOpeningElement[name.name="table"]',
  message: 'Draw tables with components/data-table.',
};
const NOT_LAZY = {
  selector: 'ImportExpression',
  message: 'Only charts/, routes/, app/ and files named lazy.ts load lazily.',
};

function forbid(layers, ...selectors) {
  return {
    files: layers.map((layer) => `src/${layer}/**/*.{ts,tsx}`),
    ignores: [
      'src/components/data-table/**',
      // The server draws the table of AnswerMatrix too, with the same markup.
      'src/features/answer/AnswerMatrix.tsx',
      'src/**/lazy.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...selectors] },
  };
}

export default tseslint.config(
  { ignores: ['dist', 'src/api/schema.d.ts', 'public'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  reactHooks.configs.flat['recommended-latest'],
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
    },
  },
  ...LAYERS.map((layer) => restrict(layer, layerRules(layer))),
  ...readdirSync(`${import.meta.dirname}/src/features`).map(featureRules),
  forbid(['lib', 'components', 'api', 'features'], NO_TABLE, NOT_LAZY),
  forbid(['charts', 'routes', 'app'], NO_TABLE),
  { files: ['src/testing/documents/**'], rules: { 'max-lines': 'off' } },
  { files: ['*.js', '*.ts'], extends: [tseslint.configs.disableTypeChecked] },
);
