/** The bundled worker as text, made by `build-simulator.js`. */
declare module "virtual:worker" {
  const code: string;
  export default code;
}
