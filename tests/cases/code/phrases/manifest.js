const { compileModuleGraph, getRuntimeChunkName } = require("pack");

function writeManifest(compilation, chunks) {
	const manifest = {};
	for (const chunk of chunks) {
		const name = getRuntimeChunkName(chunk, compilation.outputOptions);
		manifest[name] = compilation.chunkGraph.getChunkModulesIterable(chunk);
		compilation.emitAssetAfterProcessing(name, manifest[name]);
	}
	return compilation.createStatsFactoryOutput(manifest);
}
