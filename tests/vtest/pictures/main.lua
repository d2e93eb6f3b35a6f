-- A canvas with a stencil, shapes, added light, text and a mesh; a shader bends it.
local waves = love.graphics.newShader([[
    uniform vec2 size;
    vec4 effect(vec4 color, Image picture, vec2 at, vec2 pixel) {
        vec2 moved = at + vec2(sin(pixel.y * 0.1), cos(pixel.x * 0.07)) * 4.0 / size;
        return Texel(picture, moved) * color;
    }
]])
function love.load()
    local g = love.graphics
    local inner, canvas = g.newCanvas(320, 240), g.newCanvas(320, 240)
    g.setCanvas({inner, stencil = true})
    g.clear(0.1, 0.1, 0.25, 1)
    g.stencil(function() g.circle("fill", 160, 120, 90) end, "replace", 1)
    g.setStencilTest("greater", 0)
    for i = 0, 15 do
        g.setColor(i / 15, 1 - i / 15, 0.5, 0.8)
        g.rectangle("fill", i * 20, 0, 10 + i, 240)
    end
    g.setStencilTest()
    g.setBlendMode("add")
    for i = 0, 40 do
        g.setColor(0.3, 0.2, 0.1)
        g.circle("fill", 160 + 100 * math.cos(i), 120 + 80 * math.sin(i), 12)
    end
    g.setBlendMode("alpha")
    g.setColor(1, 1, 1)
    g.print("Vulkan underneath", 60, 110, -0.1, 2)
    g.draw(g.newMesh({{0, 0, 0, 0, 1, 0, 0}, {90, 20, 0, 0, 0, 1, 0}, {30, 80, 0, 0, 0, 0, 1}}), 10, 150)
    g.setCanvas(canvas)
    g.setShader(waves)
    waves:send("size", {320, 240})
    g.draw(inner)
    g.setShader()
    g.setCanvas()
    local file = assert(io.open("picture.png", "wb"))
    file:write(canvas:newImageData():encode("png"):getString())
    file:close()
    love.event.quit()
end
