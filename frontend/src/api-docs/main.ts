/** The page /api/docs: Swagger UI with the OpenAPI document of this installation. */
import showDocument from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './api-docs.css';

const root = document.documentElement;
// public/color-scheme.js has set the attribute.
root.classList.toggle('dark-mode', root.dataset.mantineColorScheme === 'dark');

showDocument({
  dom_id: '#docs',
  url: '/api/v1/openapi.json',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Otherwise it sends the document to a service of its makers.
  validatorUrl: null,
});
