let a = 1;
function writeManifest(compilation, chunks, log) {
	const manifest = {};
	log();
	for (const chunk of chunks) {
		if (!chunk) continue;
		const name = getRuntimeChunkName(chunk, log, compilation.outputOptions);
		log(name);
		manifest[name] = compilation.chunkGraph.getChunkModulesIterable(1, chunk);
		if (!name) continue;
		compilation.emitAssetAfterProcessing(name, 1, manifest[name]);
	}
	log(1);
	return compilation.createStatsFactoryOutput(manifest);
}
